/** Nothing can be built as it was asked for; the sentence says what to do. */
export class CannotBuild extends Error {}
