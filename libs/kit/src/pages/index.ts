export { cutPage, type Page, type PageRequest, parsePage, parseReadMax } from './pages.js';
