/** Working directory of all steps and services of a build, in each of their containers. */
export const WORKDIR = '/workdir';
