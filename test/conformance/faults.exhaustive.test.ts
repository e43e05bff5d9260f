import { testFaults } from './fault-cases.js';
import { faults } from './support/faults.js';

testFaults(faults);
