/** What steps need of a resource. */
export interface ConvertedResource {
  /** Labels in Millrace. */
  type: string;
  name: string;
  /** The built-in `git`, which has no parameters of gets and puts. */
  isBuiltInGit: boolean;
}
