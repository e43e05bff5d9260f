import connect from 'connect';
import express4 from 'express4';
import { toNodeHandler } from 'messaging-automation/webhooks';
import { afterReading, ofExpress } from '../../webhooks/adapters/half-read/environments.js';
import { describeReaders } from '../../webhooks/adapters/half-read/matrix.js';
import { readersOfStream } from '../../webhooks/adapters/half-read/readers.js';

describeReaders(
  [
    ofExpress('Express 4', express4),
    {
      name: 'Connect',
      fix: 'Connect',
      listenerOf: (receiver, read) =>
        connect()
          .use((request, _response, next) => void afterReading(read(request), next))
          .use('/webhooks', toNodeHandler(receiver)),
    },
  ],
  readersOfStream,
);
