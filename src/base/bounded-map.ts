/** Bounding a Map that remembers by key: a Map iterates in the order of insertion, so its first key is the oldest. */

/** Sets the entry, makes it the newest, and evicts the oldest where the map then has more than `max`. */
export function setNewest<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > max) map.delete(map.keys().next().value as K)
}
