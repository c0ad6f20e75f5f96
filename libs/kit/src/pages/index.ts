export { cutPage, type Page, type PageRequest, parseLimit, parsePage, parseReadMax } from './pages.js';
