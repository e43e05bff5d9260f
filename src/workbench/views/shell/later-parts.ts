/** The parts of the page that the first view does not need. They are one file of the built page, which `Later` loads. */
export { DeliveriesView } from '../deliveries/deliveries-view.js';
export { JourneysView } from '../journeys/journeys-view.js';
export { FailedTestNote } from '../timeline/failed-test.js';
export { WorkspaceView } from '../workspace/workspace-view.js';
export { Choices } from './choices.js';
