export {
  acrossProjects,
  acrossProjectsSettings,
  currentScope,
  inProject,
  inProjectOrAll,
  scopeSetting,
  streamInProject,
} from './scope.js';
