export type { UndiciDispatcher } from './dispatcher.js';
export { type UndiciTransport, type UndiciTransportOptions, undiciTransport } from './transport.js';
