# one
// two
/* three
   { [ ( */
