import jsonServer from 'json-server';
import { answerQuestions, usedCpu } from '../../measure/other-process.js';

/** Keeps its collection in memory and logs nothing. It knows no upsert: each POST adds a contact. */
const application = jsonServer.create();
application.use(jsonServer.defaults({ logger: false }));
application.use('/api/v1', jsonServer.router({ contacts: [] }));

const listening = application.listen(0, '127.0.0.1', () => {
  const address = listening.address();
  if (typeof address === 'object' && address !== null)
    answerQuestions({ port: address.port }, { cpu: () => ({ cpu: usedCpu() }) });
});
