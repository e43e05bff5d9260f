import { mswHandlers } from 'messaging-automation/msw';
import type { CreateEnvironment } from '../environment.js';
import { intercept, interceptedReceiver } from './interception.js';
import { createSeededServer } from './reference.js';

/** The reference server bridged into MSW: no socket, neither for its requests nor for its deliveries. */
export const createBridgedEnvironment: CreateEnvironment = async (options) => {
  const baseUrl = 'https://api.example.test/api';
  const { server, fixtures } = createSeededServer(options);
  const { receiver, handler, release } = interceptedReceiver();
  const interception = intercept([...mswHandlers(server, { baseUrl }), handler]);
  return {
    ...fixtures,
    baseUrl,
    receiver,
    async close() {
      release();
      await server.close();
      interception.close();
    },
  };
};
