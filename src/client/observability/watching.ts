/** What a call loads when somebody watches it. Most calls are watched by nobody. */
export { CallLog } from './call-log.js';
export { trace } from './trace.js';
