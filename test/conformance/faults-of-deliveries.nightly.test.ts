import { testFaults } from './matrices.js';
import { faults } from './support/faults.js';

// The faults of subscriptions, deliveries and their retries. Three files, so that they run side by side.
testFaults(faults.filter(([breaks]) => /^§[368]/.test(breaks)));
