/** The version of this package, as `package.json` has it: written by `npm run version`, held by a test. */
export const packageVersion = '0.3.0';
