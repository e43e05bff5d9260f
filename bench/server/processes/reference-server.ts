import { createReferenceServer } from '../../../dist/server.js';
import { answerQuestions, usedCpu } from '../../measure/other-process.js';
import { apiKey } from './api-key.js';
import { storeOptions } from './store.js';

const server = createReferenceServer({ apiKey, ...(await storeOptions()) });
const { url } = await server.listen({ port: 0 });

answerQuestions({ port: Number(new URL(url).port) }, { cpu: () => ({ cpu: usedCpu() }) });
