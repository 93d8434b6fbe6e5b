/** The paths of a model whose words searches look at. */
import type { Model } from './schema.ts'

/** None where the model cannot be searched. */
export function searchedPaths(model: Model): readonly (readonly string[])[] {
  const known = pathsOf.get(model)
  if (known !== undefined) return known
  const paths = (model.words ?? []).map((path) => path.split('.'))
  pathsOf.set(model, paths)
  return paths
}

/** Of the declaration, which does not change: computed once. */
const pathsOf = new WeakMap<Model, readonly (readonly string[])[]>()
