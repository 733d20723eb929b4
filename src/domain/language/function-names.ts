/** Functions of the language, as the engine has them; with Terraform's semantics. */
export const functionNames: readonly string[] = (
  'abs alltrue anytrue base64decode base64encode ceil chomp chunklist coalesce coalescelist compact concat contains csvdecode ' +
  'distinct element endswith flatten floor format formatdate formatlist indent join jsondecode jsonencode keys length log lookup ' +
  'lower max merge min one parseint pow range regex regexall regexreplace replace reverse setintersection setproduct setsubtract ' +
  'setsymmetricdifference setunion signum slice sort split startswith strcontains strlen strrev substr sum timeadd timestamp title ' +
  'tobool tolist tomap tonumber toset tostring transpose trim trimprefix trimspace trimsuffix upper urlencode values zipmap'
).split(' ');
