import type { CreateWorld } from '../world.js';
import { HandWrittenDeliveries } from './hand-written-deliveries.js';
import { handWrittenService } from './hand-written-endpoints.js';
import { HandWrittenState } from './hand-written-state.js';
import { intercept, interceptedReceiver } from './interception.js';

/**
 * The service as read from its document alone, in plain literals: nothing here knows src/. Where the
 * document shows nothing, it chooses otherwise than the reference server does, so that the SDK must cope with both.
 */
export const createHandWrittenWorld: CreateWorld = async (options) => {
  const baseUrl = 'https://api.example.test/api';
  const apiKey = 'key_of_the_hand_written_world';
  const otherApiKey = 'key_of_another_workspace';
  const state = new HandWrittenState(options);
  const deliveries = new HandWrittenDeliveries(state);
  const { receiver, handler, release } = interceptedReceiver();
  const workspaces = new Map([
    [apiKey, state],
    [otherApiKey, new HandWrittenState({})],
  ]);
  const interception = intercept([handWrittenService(baseUrl, workspaces), handler]);
  return {
    baseUrl,
    apiKey,
    otherApiKey,
    receiver,
    async inboundMessage(message) {
      deliveries.messageReceived(message);
    },
    settled: () => deliveries.settled(),
    advance: (milliseconds) => deliveries.advance(milliseconds),
    async close() {
      release();
      await deliveries.settled();
      interception.close();
    },
  };
};
