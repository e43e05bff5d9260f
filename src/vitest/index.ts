export {
  type WorkspaceFixtureDefinitions,
  type WorkspaceFixtures,
  workspaceFixtures,
} from './workspace-fixtures.js';
