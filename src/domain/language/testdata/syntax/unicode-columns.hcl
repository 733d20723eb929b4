# Columns count what a reader sees as characters.
a = "ä👩‍👩‍👧é" /* ü */
b "👍🏽" "c" {}
