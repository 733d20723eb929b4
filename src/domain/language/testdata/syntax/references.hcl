# Local names of for are not references.
all   = [for x in var.xs : upper(x) if x != var.skip]
deep  = a.b.c[0].d["e"].*.f
call  = merge({ a = var.a }, jsondecode(local.text)...)
