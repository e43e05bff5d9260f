import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import { describeStore } from './suite.js';

describeStore('MemoryStore', async () => new MemoryStore());
