import type { DeliveryTimestamps, ReceiverAddresses } from '../../server/index.js';
import type { StoreOptions } from './store-options.js';

/** The flags of `serve`. */
export interface ServeOptions extends StoreOptions {
  readonly port: number;
  readonly host: string;
  readonly apiKey?: string;
  readonly quota?: number;
  readonly deliveryTimestamps?: DeliveryTimestamps;
  readonly receiverAddresses?: ReceiverAddresses;
  readonly cors?: readonly string[];
  /** Whether to serve the workbench. */
  readonly ui: boolean;
  readonly allowedHosts?: readonly string[];
  readonly seed?: string;
  readonly state?: string;
  readonly replica?: string;
  readonly metrics: boolean;
  /** In milliseconds. */
  readonly shutdownGrace?: number;
  readonly json: boolean;
}
