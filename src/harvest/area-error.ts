/** A text does not name an area. The message says which texts do. */
export class AreaError extends Error {}
