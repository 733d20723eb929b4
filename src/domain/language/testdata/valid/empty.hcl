# A pipeline may be empty.
