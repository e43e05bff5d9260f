/**
 * What the page can ask for: the operations of the API and of the control surface. In the built page, each has only its
 * method and its path. The types are those of the tables.
 */
export { operations } from '../../contract/operations.js';
export { controlOperations as control } from '../../server/subjects/control-operations.js';
