/** Working directory of all steps of a build, in every container. */
export const WORKDIR = '/workdir';
