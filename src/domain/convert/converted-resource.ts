/** What the conversion of steps needs to know about a resource. */
export interface ConvertedResource {
  /** The two labels of the resource in Millrace. */
  type: string;
  name: string;
  /** The resource type is the built-in `git`, whose gets and puts take no parameters. */
  isBuiltInGit: boolean;
}
