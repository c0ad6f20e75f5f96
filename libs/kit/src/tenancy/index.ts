export { ProjectPlaces } from './project-places.js';
export {
  acrossProjects,
  acrossProjectsSettings,
  currentScope,
  inProject,
  inProjectOrAll,
  scopeSetting,
  streamInProject,
} from './scope.js';
