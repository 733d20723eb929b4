import { builtInScript } from './built-in-script.ts';
import { registryPrelude } from './registry-prelude.ts';

/**
 * Uploads an image. The script uploads only layers that the registry does not have, so a repeated put uploads
 * none. It uploads the manifest last, so a tag never names an incomplete image.
 */
export const push = builtInScript(`${registryPrelude('pull,push')}
image=\${put_image-}
[ -n "$image" ] || fail 'the put needs image: a folder with an OCI layout, or an archive of docker save'
check_inside image "$image" "$start"
tag=\${put_tag:-\${param_tag-}}
if [ -z "$tag" ] && [ -n "\${param_semver-}" ]; then fail 'the put needs tag: the resource has a constraint instead'; fi
tag=\${tag:-latest}
check_tag "$tag"
printf '%s\\n' "\${put_additional_tags-}" | tr -s ', ' '\\n' | grep . >"$private/tags" || true
[ "$(wc -l <"$private/tags")" -le 20 ] || fail 'additional_tags has more than 20 tags'
while IFS= read -r additional_tag; do check_tag "$additional_tag"; done <"$private/tags"

layout=$start/$image
if [ -f "$layout" ]; then
  mkdir -- "$private/layout"
  tar -xf "$layout" --no-same-owner --no-same-permissions -C "$private/layout" 2>"$private/problem" ||
    fail "'$image' is not a tar archive"
  layout=$private/layout
fi
[ -d "$layout" ] || fail "there is no '$image'"
# file_in PATH: prints the full path of a file of the image
file_in() {
  check_inside "the image's file" "$1" "$layout"
  [ -f "$layout/$1" ] || fail "'$image' lacks the file $1"
  printf '%s/%s' "$layout" "$1"
}
blob() { file_in "blobs/sha256/\${1#sha256:}"; }
size_of() { stat -L -c %s -- "$1"; }

# convert: makes an OCI layout from an archive of docker save. The same layers always get the same digests.
convert() {
  archive=$(file_in manifest.json)
  [ "$(jq 'length' "$archive")" = 1 ] || fail "'$image' has several images: save one"
  made=$private/made
  mkdir -p -- "$made/blobs/sha256"
  config=$(file_in "$(jq -r '.[0].Config' "$archive")")
  add "$config" application/vnd.oci.image.config.v1+json >"$private/config"
  : >"$private/layers"
  jq -r '.[0].Layers[]' "$archive" >"$private/files"
  while IFS= read -r file; do
    file=$(file_in "$file")
    if [ "$(head -c 2 -- "$file" | od -An -tx1)" != ' 1f 8b' ]; then
      gzip -n -c -- "$file" >"$private/layer"
      file=$private/layer
    fi
    add "$file" application/vnd.oci.image.layer.v1.tar+gzip >>"$private/layers"
  done <"$private/files"
  jq -cn --slurpfile config "$private/config" --slurpfile layers "$private/layers" '{schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json", config: $config[0], layers: $layers}' >"$private/manifest"
  add "$private/manifest" application/vnd.oci.image.manifest.v1+json |
    jq -c '{schemaVersion: 2, manifests: [.]}' >"$made/index.json"
  layout=$made
}
# add FILE TYPE: copies a file into the new layout, and prints its descriptor
add() {
  hash=$(hash_of "$1")
  cp -- "$1" "$made/blobs/sha256/$hash"
  jq -cn --arg type "$2" --arg digest "sha256:$hash" --arg size "$(size_of "$1")" \\
    '{mediaType: $type, digest: $digest, size: ($size | tonumber)}'
}
if [ ! -e "$layout/index.json" ]; then
  [ -e "$layout/manifest.json" ] || fail "'$image' is neither an OCI layout nor an archive of docker save"
  convert
fi

# upload_blob DIGEST: uploads a layer or configuration that the registry does not have
upload_blob() {
  is_digest "$1" || fail "'$1' is not the digest of a layer"
  ask "$api/blobs/$1" "$private/answer" --head --location --max-redirs 5
  if [ "$status" = 200 ]; then return; fi
  [ "$status" = 404 ] || fail_with "a look-up of the layer $1"
  file=$(blob "$1")
  ask "$api/blobs/uploads/" "$private/answer" --request POST --data-binary '' --max-redirs 0
  [ "$status" = 202 ] || fail_with "the upload of $path"
  place=$(header location)
  case $place in
    "$origin"/*) ;;
    /*) place=$origin$place ;;
    https://*) ;;
    http://*) [ -n "$plain" ] || fail "the registry $host wants the upload over plain HTTP" ;;
    *) fail "the registry $host names no place for the upload" ;;
  esac
  case $place in *\\?*) place="$place&digest=$1" ;; *) place="$place?digest=$1" ;; esac
  printf 'uploads %s (%s bytes)\\n' "$1" "$(size_of "$file")" >&2
  ask "$place" "$private/answer" --upload-file "$file" --header 'Content-Type: application/octet-stream' --max-redirs 0
  [ "$status" = 201 ] || fail_with "the layer $1"
}
# upload_manifest FILE TYPE REFERENCE: uploads a manifest under a tag or digest
upload_manifest() {
  [ "$(size_of "$1")" -le $max_bytes ] || fail 'the manifest is larger than 4 MiB'
  ask "$api/manifests/$3" "$private/answer" --upload-file "$1" --header "Content-Type: $2" --max-redirs 0
  case $status in 200 | 201 | 202) ;; *) fail_with "the manifest of $path:$3" ;; esac
}
# upload_image DIGEST: uploads what the manifest refers to. Layers with their own urls are in no registry.
upload_image() {
  is_digest "$1" || fail "'$1' is not the digest of an image"
  manifest=$(blob "$1")
  [ "sha256:$(hash_of "$manifest")" = "$1" ] || fail "'$image' is damaged: its manifest is not $1"
  jq -r '.config, .layers[] | select(.urls | not) | .digest' "$manifest" >"$private/blobs" 2>"$private/problem" ||
    fail "'$image' has a manifest without layers: $1"
  while IFS= read -r layer; do upload_blob "$layer"; done <"$private/blobs"
}

index=$(file_in index.json)
jq -c '.manifests | unique_by(.digest)' "$index" >"$private/roots" 2>"$private/problem" ||
  fail "'$image' has an index that cannot be read"
case $(jq length "$private/roots") in
  0) fail "'$image' has no image" ;;
  1)
    digest=$(jq -r '.[0].digest' "$private/roots") type=$(jq -r '.[0].mediaType' "$private/roots")
    is_digest "$digest" || fail "'$digest' is not the digest of an image"
    root=$(blob "$digest")
    ;;
  *) root=$index type=application/vnd.oci.image.index.v1+json digest=sha256:$(hash_of "$index") ;;
esac
[ "sha256:$(hash_of "$root")" = "$digest" ] || fail "'$image' is damaged: its manifest is not $digest"
is_manifest_type "$type" || fail "'$image' has a manifest of the type '$type', which is not supported"
if jq -e 'has("manifests")' "$root" >"$private/found"; then
  jq -r '.manifests[] | "\\(.digest) \\(.mediaType)"' "$root" | sort -u >"$private/images"
  [ "$(wc -l <"$private/images")" -le 100 ] || fail 'the index lists more than 100 images'
  while read -r image_digest image_type; do
    upload_image "$image_digest"
    upload_manifest "$manifest" "$image_type" "$image_digest"
  done <"$private/images"
else
  upload_image "$digest"
fi
upload_manifest "$root" "$type" "$tag"
while IFS= read -r additional_tag; do upload_manifest "$root" "$type" "$additional_tag"; done <"$private/tags"
printf '{"digest":"%s","tag":"%s"}\\n' "$digest" "$tag"
`);
