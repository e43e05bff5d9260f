export { default } from '../unparsed.js';

// Next reads this from the text of the module, so it cannot be handed on.
export const config = { api: { bodyParser: false } };
