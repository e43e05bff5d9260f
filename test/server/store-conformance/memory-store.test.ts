import { MemoryStore } from '../../../src/server/store/memory-store.js';
import { describeStore } from './suite.js';

describeStore('MemoryStore', async () => new MemoryStore());
