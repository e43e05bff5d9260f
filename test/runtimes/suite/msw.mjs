// `./msw`, which is for Node.js and stands on msw.
import { equal } from './assertions.mjs';
import { phone } from './far-side.mjs';

export const mswBridge = {
  async 'bridges the reference server into msw'({ sdk, server, bridge: { mswHandlers }, msw }) {
    const baseUrl = 'https://messaging.example/api';
    const reference = server.createReferenceServer();
    const network = msw.setupServer(...mswHandlers(reference, { baseUrl }));
    network.listen({ onUnhandledRequest: 'error' });
    try {
      const messaging = new sdk.MessagingAutomation({ apiKey: reference.apiKey, baseUrl });
      const { id } = await messaging.contacts.upsert({ phone });
      equal((await messaging.contacts.get(id)).properties, { phone });
    } finally {
      network.close();
      await reference.close();
    }
  },
};
