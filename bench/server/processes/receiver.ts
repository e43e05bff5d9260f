import { createServer } from 'node:http';
import { answerQuestions } from '../../measure/other-process.js';

/** Acknowledges every delivery at once, and counts them. */
let received = 0;
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    received += 1;
    response.writeHead(204);
    response.end();
  });
});
server.keepAliveTimeout = 600_000; // no connection is to be closed between two rounds
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null)
    answerQuestions({ port: address.port }, { received: () => ({ received }) });
});
