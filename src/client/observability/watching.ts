/** The modules that a call loads only if a logger or a tracer is set. */
export { CallLog } from './call-log.js';
export { trace } from './trace.js';
