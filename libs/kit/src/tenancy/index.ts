export { acrossProjects, allProjects, currentScope, inProject, streamInProject } from './scope.js';
