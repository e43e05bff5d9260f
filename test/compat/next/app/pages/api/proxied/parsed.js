export { default } from '../parsed.js';
