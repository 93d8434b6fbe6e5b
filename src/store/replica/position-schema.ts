/** The table with the position of a file in the log of its cluster. */

/** With the id of the entry at that position: of a file that is or was part of a cluster. */
export const POSITION_TABLE_OF_NODE =
  'CREATE TABLE log_position ( one INTEGER PRIMARY KEY CHECK (one = 1), site TEXT NOT NULL, position INTEGER NOT NULL, entry TEXT NOT NULL )'
