/** Sets the entry as the newest, and evicts the oldest past `max`: a Map iterates in the order of insertion. */
export function setNewest<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > max) map.delete(map.keys().next().value as K)
}
