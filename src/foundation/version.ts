/** The version in `package.json`. `npm run version` writes it, and a test compares them. */
export const packageVersion = '0.0.0';
