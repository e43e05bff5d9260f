/**
 * The operations of the control surface. In the built command line, each has only its method and its path. The types are those of the
 * table.
 */
export { controlOperations as control } from '../../server/subjects/control-operations.js';
