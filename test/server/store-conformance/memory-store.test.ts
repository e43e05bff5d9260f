import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import { inMemory } from './in-memory.js';
import { describeStore } from './suite.js';

describeStore('MemoryStore', async () => inMemory((lease) => new MemoryStore(lease)));
