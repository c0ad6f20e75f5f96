export { cutPage, type Page, type PageRequest, type PageWeight, parseLimit, parsePage, parseReadMax } from './pages.js';
