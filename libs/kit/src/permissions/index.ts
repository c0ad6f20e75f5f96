export { allPermissions, isPermission, type Permission, permissionFamilies } from './permissions.js';
