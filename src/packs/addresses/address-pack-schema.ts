/** The SQLite application_id of an address pack. */
export const addressApplicationId = 0x46534144 // "FSAD"
/**
 * The SQLite user_version of an address pack. Version 1 has no house numbers as published, and keys of street names that
 * keep the endings of ordinals.
 */
export const addressSchemaVersion = 2
export const oldAddressSchemaVersion = 1

/**
 * The tables, created before the rows are written. A street is one name in one ZIP code and town. `postal` holds the
 * town that the Postal Service assigns to a ZIP code, because files may name the municipality instead. `lat` and `lng`
 * are in ten-millionths of a degree. `number` is the house number as published.
 */
export const addressSchema = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, UNIQUE (key, state));
  CREATE TABLE postal (zip TEXT PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE street (id INTEGER PRIMARY KEY, zip TEXT NOT NULL, key TEXT NOT NULL, city_id INTEGER NOT NULL REFERENCES city (id),
    dir_pre TEXT NOT NULL, pretype TEXT NOT NULL, suffix TEXT NOT NULL, dir_post TEXT NOT NULL, name TEXT NOT NULL,
    UNIQUE (zip, key, city_id, dir_pre, pretype, suffix, dir_post));
  CREATE TABLE addr (street_id INTEGER NOT NULL, num INTEGER NOT NULL, pre TEXT NOT NULL, suf TEXT NOT NULL, unit TEXT NOT NULL, unit_key TEXT NOT NULL, lat INTEGER NOT NULL, lng INTEGER NOT NULL,
    number TEXT NOT NULL, PRIMARY KEY (street_id, num, pre, suf, unit_key, lat, lng)) WITHOUT ROWID;
  CREATE TABLE range (street_id INTEGER NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL, pre TEXT NOT NULL, side TEXT NOT NULL, parity TEXT NOT NULL, is_falling INTEGER NOT NULL, line BLOB NOT NULL,
    PRIMARY KEY (street_id, low, high, pre, side, parity, is_falling, line)) WITHOUT ROWID;
`

/** The tables of version 1. */
export const oldAddressSchema = addressSchema.replace(' number TEXT NOT NULL, PRIMARY KEY', ' PRIMARY KEY')

/**
 * The indexes, created after the rows: streets by town, street names by trigram for typing errors, and street boxes.
 */
export const addressIndexes = `
  CREATE INDEX postal_town ON postal (key, state);
  CREATE INDEX street_city ON street (city_id, key);
  CREATE TABLE name (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
  INSERT INTO name (key) SELECT DISTINCT key FROM street ORDER BY key;
  CREATE VIRTUAL TABLE name_trigram USING fts5(key, content = 'name', content_rowid = 'id', tokenize = 'trigram', detail = 'full', columnsize = 0);
  INSERT INTO name_trigram (name_trigram) VALUES ('rebuild');
  CREATE VIRTUAL TABLE street_box USING rtree(id, west, east, south, north);
`

/** Coordinates are stored in ten-millionths of a degree, about a centimeter. Integers take half the space of reals. */
export const unitsPerDegree = 1e7

/** Encodes a line (longitude, latitude, longitude, …) as 32-bit integers in ten-millionths of a degree. */
export function encodeLine(path: readonly number[]): Uint8Array {
  return new Uint8Array(Int32Array.from(path, (degrees) => Math.round(degrees * unitsPerDegree)).buffer)
}

/** The positions of an encoded line as [lng, lat] in degrees. */
export function decodeLine(blob: Uint8Array): [lng: number, lat: number][] {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength)
  return Array.from({ length: blob.byteLength >> 3 }, (_, i) => [
    view.getInt32(8 * i, true) / unitsPerDegree,
    view.getInt32(8 * i + 4, true) / unitsPerDegree,
  ])
}
