import { testCuts } from './listen-through-cuts.js';

testCuts([1]);
