"""What a script written with the Python client does: typed and dynamic clients, patches, a watch."""
import sys

from kubernetes import client, config, dynamic, watch

config.load_kube_config(sys.argv[1])
core = client.CoreV1Api()
apps = client.AppsV1Api()

core.create_namespace({"metadata": {"name": "python"}})
made = core.create_namespaced_config_map("python", client.V1ConfigMap(metadata=client.V1ObjectMeta(name="one"), data={"a": "b"}))
assert made.metadata.creation_timestamp is not None
core.patch_namespaced_config_map("one", "python", {"data": {"a": "c"}})
assert core.read_namespaced_config_map("one", "python").data == {"a": "c"}

labels = {"app": "web"}
template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "registry.example.com/web"}]}}
spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
apps.create_namespaced_deployment("python", {"metadata": {"name": "web"}, "spec": spec})
for event in watch.Watch().stream(apps.list_namespaced_deployment, "python", timeout_seconds=30):
    if (event["object"].status.ready_replicas or 0) == 2:
        break
else:
    raise AssertionError("the Deployment never became ready")
assert len(core.list_namespaced_pod("python", label_selector="app=web").items) == 2

anything = dynamic.DynamicClient(client.ApiClient())
things = anything.resources.get(api_version="things.example.com/v1", kind="Thing")
things.create(namespace="python", body={"apiVersion": "things.example.com/v1", "kind": "Thing", "metadata": {"name": "one"}, "spec": {"colour": "red"}})
assert things.get(namespace="python", name="one").spec.colour == "red"
things.server_side_apply(namespace="python", field_manager="python", force_conflicts=True, body={"apiVersion": "things.example.com/v1", "kind": "Thing", "metadata": {"name": "one"}, "spec": {"colour": "blue"}})
assert things.get(namespace="python", name="one").spec.colour == "blue"

try:
    core.read_namespaced_config_map("absent", "python")
    raise AssertionError("what is not there was read")
except client.ApiException as error:
    assert error.status == 404, error
core.delete_namespace("python")
print("done")
