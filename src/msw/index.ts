export { type MswHandlersOptions, mswHandlers } from './msw-handlers.js';
