export {
  acrossProjects,
  acrossProjectsSettings,
  currentScope,
  inProject,
  scopeSetting,
  streamInProject,
} from './scope.js';
