import { testFaults } from './matrices.js';
import { faults } from './support/faults.js';

testFaults(faults);
