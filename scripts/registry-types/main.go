// Prints how Go writes the Kubernetes types that a registry+v1 bundle holds: for each struct its JSON members, whether a member is
// left out when it is empty, and its type. Read by scripts/generate-registry-types.ts; the notation is explained in
// src/formats/registry-v1/typed.ts.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	admission "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	rbac "k8s.io/api/rbac/v1"
	crd "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Types that write themselves in a way of their own.
var special = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                                             "time",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                                        "time",
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                                         "quantity",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":                                       "intOrString",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                                         "json",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON":                         "json",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool":        "schemaOrBool",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray":       "schemaOrArray",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray": "schemaOrStrings",
}

type printer struct {
	types map[string]map[string]string
	seen  map[string]reflect.Type
}

func (p *printer) notation(t reflect.Type) string {
	if word, ok := special[t.PkgPath()+"."+t.Name()]; ok {
		return word
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + p.notation(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + p.notation(t.Elem())
	case reflect.Map:
		return "{}" + p.notation(t.Elem())
	case reflect.Interface:
		return "json"
	case reflect.Struct:
		p.visit(t)
		return "#" + t.Name()
	default:
		return t.Kind().String()
	}
}

func (p *printer) members(t reflect.Type, into map[string]string) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == "" && field.Type.Kind() == reflect.Struct {
			p.members(field.Type, into)
			continue
		}
		mark := "!"
		if strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero") {
			mark = ""
		}
		into[name] = mark + p.notation(field.Type)
	}
}

func (p *printer) visit(t reflect.Type) {
	if before, ok := p.seen[t.Name()]; ok {
		if before != t {
			panic("two types are called " + t.Name())
		}
		return
	}
	p.seen[t.Name()] = t
	p.types[t.Name()] = map[string]string{}
	p.members(t, p.types[t.Name()])
}

func main() {
	p := &printer{types: map[string]map[string]string{}, seen: map[string]reflect.Type{}}
	for _, root := range []any{
		apps.DeploymentSpec{}, rbac.PolicyRule{}, admission.RuleWithOperations{}, crd.CustomResourceDefinition{},
	} {
		p.visit(reflect.TypeOf(root))
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(p.types); err != nil {
		panic(err)
	}
}
