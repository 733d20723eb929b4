# A label cannot be computed.
job "a-${var.x}" {}
