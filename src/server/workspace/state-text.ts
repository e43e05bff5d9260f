import type { DeliveryRecord, WorkspaceState } from '../model/records.js';

/** A delivery whose bytes are text, because JSON has no bytes. */
export interface DeliverySnapshot extends Omit<DeliveryRecord, 'body'> {
  readonly body: string;
}

/** The state of a workspace, as plain data. */
export interface StateSnapshot extends Omit<WorkspaceState, 'deliveries'> {
  readonly deliveries: readonly DeliverySnapshot[];
}

/** Converts a workspace's state to plain data, with the bytes of its deliveries as text. */
export function stateAsText(state: WorkspaceState): StateSnapshot {
  const decoder = new TextDecoder();
  return {
    ...state,
    deliveries: state.deliveries.map((delivery) => ({ ...delivery, body: decoder.decode(delivery.body) })),
  };
}

/** Converts plain data back to a workspace's state. */
export function stateFromText(state: StateSnapshot): WorkspaceState {
  const encoder = new TextEncoder();
  return {
    ...state,
    deliveries: state.deliveries.map((delivery) => ({ ...delivery, body: encoder.encode(delivery.body) })),
  };
}
