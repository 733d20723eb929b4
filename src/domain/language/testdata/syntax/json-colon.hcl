# JSON is another language.
{ "a": 1 }
