export { type FileCheckpointOptions, fileCheckpoint } from './file-checkpoint.js';
